"""Quarter cars with one equivalent link: reduced from a multibody model, identified, joined to a vehicle."""
