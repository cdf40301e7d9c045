import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const DATA_DICTIONARY_EXAMPLES: Examples = {
  describe_data: () => ({ ...SUMMIT_SCOPE, search: 'turnover' }),
  get_report_fields: () => ({ ...SUMMIT_SCOPE, entity: 'payment', limit: 3 }),
}
