import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const PRESENCE_EXAMPLES: Examples = {
  get_attendance_summary: () => ({ ...SUMMIT_SCOPE, by: 'day' }),
}
