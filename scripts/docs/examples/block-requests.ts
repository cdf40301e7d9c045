import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const BLOCK_REQUESTS_EXAMPLES: Examples = {
  list_block_requests: () => ({ ...SUMMIT_SCOPE, status: ['submitted', 'partiallyAllocated'] }),
}
