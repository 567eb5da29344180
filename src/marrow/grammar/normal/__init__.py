"""The steps of Perses Normal Form, in the order of Algorithm 1."""
