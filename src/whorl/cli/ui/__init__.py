"""What commands share: options, output, progress, help and failures."""
