"""What tests of passes and kernels need, ours and those of others: see docs/testing.md."""
