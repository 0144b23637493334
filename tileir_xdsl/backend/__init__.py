"""Code generators: from the last dialects of the road to text that NVIDIA's tools assemble."""
