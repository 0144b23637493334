"""Every place of the compiler that emits a fence, a barrier, a wait, a commit or an ordered access,
and kernels in which the emulator finds a weaker one in its place."""
