"""Binary formats: blocks that go with their lengths, offsets and checksums."""
