"""Do programs compile that exceed a thread block, or are longer or deeper than programs are?"""
