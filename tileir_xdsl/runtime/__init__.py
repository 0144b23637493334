"""What happens to PTX after the compiler: assembling, loading and launching."""
