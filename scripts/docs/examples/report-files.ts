import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const REPORT_FILES_EXAMPLES: Examples = {
  list_reports: () => ({ ...SUMMIT_SCOPE, search: 'revenue' }),
  get_report: () => ({ ...SUMMIT_SCOPE, report: 'revenue-by-product' }),
  run_report: () => ({ ...SUMMIT_SCOPE, report: 'revenue-by-product', format: 'xlsx' }),
  export_event: () => SUMMIT_SCOPE,
}
