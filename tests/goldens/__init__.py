"""What users rely on: the output, files and exit code of every verb on small inputs."""
