"""Does a mode of the emulator see each bug of synchronisation that is put into a kernel's PTX?"""
