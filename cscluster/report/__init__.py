"""From stored records to tables and figures."""
