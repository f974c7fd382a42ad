// The viewer.
