"""Pure judgement: what two texts have in common, exactly."""
