import { defineStateMachine } from '../../kernel/states.ts'
import type { ConnectionStatus } from './tables.ts'

/**
 * Allowed changes of a connection's status. Only a passed test makes a connection `ready`. Any change that could invalidate the test
 * returns it to `draft`.
 */
export const CONNECTION_STATES = defineStateMachine({
  column: 'directory_connections.status',
  kind: 'directory connection',
  noun: 'directory connection',
  initial: 'draft',
  moves: {
    draft: ['ready', 'disabled'],
    ready: ['draft', 'failing', 'disabled'],
    failing: ['ready', 'draft', 'disabled'],
    disabled: ['draft'],
  },
})

/** Returns the status after a change of URL, settings, auth, requests or credentials, which requires a new test. */
export const getStatusAfterConnectionEdit = (status: ConnectionStatus): ConnectionStatus =>
  CONNECTION_STATES.can(status, 'draft') && status !== 'disabled' ? CONNECTION_STATES.move(status, 'draft') : status
