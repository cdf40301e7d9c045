import { code, flag, oneOf, secretText, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { setCredential } from '../../domains/directories/credentials.ts'
import { CONNECTION_STATUSES } from '../../domains/directories/tables.ts'

export default eventTool({
  name: 'set_directory_credential',
  title: 'Set a directory credential',
  description:
    'Store one secret of a directory connection (API key, client secret, password), encrypted, or remove it; it can never be read back, and the connection must be tested again. Not for settings or auth (use configure_directory_connection). Returns name, a hint of the last four characters and the status.',
  effect: 'change',
  permission: 'events.write',
  input: { connection: code(), name: text(60), value: secretText(8000).optional(), remove: flag().optional() },
  output: {
    name: text(),
    set: flag(),
    hint: text().nullable(),
    setAt: text().nullable(),
    status: oneOf(CONNECTION_STATUSES),
  },
  run: setCredential,
})
