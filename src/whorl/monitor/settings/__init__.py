"""What is watched: sites with their scope and schedule, from files and from the library."""
