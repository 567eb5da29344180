"""Triage: from folders of failing inputs to a list of bugs (`marrow triage`)."""
