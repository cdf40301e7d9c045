import type { ToolMeanings } from '../meanings.ts'

export const COMPANIES_RESULTS: ToolMeanings = {
  manage_device: {
    devices: 'The scanners, the one used last first.',
    seats: 'Licensed seats of the company, or of all companies.',
    changed: 'Number of scanners that the call changed.',
  },
}
