import type { FieldDocsByTool } from '../meanings.ts'

export const SUPPLIER_RESULT_DOCS: FieldDocsByTool = {
  search_suppliers: { suppliers: 'Suppliers by fit, by distance, by how well the text matches, or by name.' },
  discover_supplier: {
    supplier: 'The supplier as it is stored now.',
    fields: 'What was found, with its source and how reliable it is.',
    merged: 'Id of the supplier that existed already. Only its empty fields were filled.',
  },
  discover_suppliers_from_criteria: {
    candidates: 'Candidates by fit, with reasons and what is unknown.',
    sources: 'Where was searched.',
    saved: 'Number of candidates that were saved as new suppliers.',
  },
}
