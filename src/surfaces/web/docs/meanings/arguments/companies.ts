import type { ToolMeanings } from '../meanings.ts'

export const COMPANIES_ARGUMENTS: ToolMeanings = {
  manage_device: {
    action: 'What to do.',
    status: 'Only scanners with this status.',
    idleMinutes: 'Only scanners that have not been used for this many minutes.',
    deviceId: 'Id of the scanner.',
    deviceIds: 'Ids of the scanners to lock out.',
    name: 'New name of the scanner.',
  },
}
