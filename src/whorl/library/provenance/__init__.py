"""When and where articles appeared: sites, pages, sightings, attestations and dates."""
