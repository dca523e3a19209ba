"""Drop-ins for other programs: the names and defaults that their users know, without their defects."""
