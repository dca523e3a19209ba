"""Workbooks: XLSX, and markup that is named .xls."""
