import { states } from '../../kernel/states.ts'
import type { ConnectionStatus } from './tables.ts'

/** Only a passed test makes a connection usable; whatever could make the test wrong again takes it back to the draft. */
export const CONNECTION_STATES = states<ConnectionStatus>({
  noun: 'directory connection',
  initial: 'draft',
  moves: {
    draft: ['ready', 'disabled'],
    ready: ['draft', 'failing', 'disabled'],
    failing: ['ready', 'draft', 'disabled'],
    disabled: ['draft'],
  },
})

/** What a change of url, settings, auth, requests or credentials does to the status. */
export const untested = (status: ConnectionStatus): ConnectionStatus =>
  CONNECTION_STATES.can(status, 'draft') && status !== 'disabled' ? CONNECTION_STATES.move(status, 'draft') : status
