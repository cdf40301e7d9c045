import { list, page, pageResult, search } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { listPresets, Preset } from '../../domains/directories/presets.ts'

export default eventTool({
  name: 'list_directory_presets',
  title: 'List directory presets',
  description:
    'List the membership systems (AMS, CRM: iMIS, Salesforce, HubSpot and others) a connection can start from. Use before create_directory_connection. Not for connections that exist (use list_directory_connections). Returns auth, credential names, settings, inputs and default requests.',
  effect: 'read',
  permission: 'events.read',
  input: { search: search().optional(), ...page },
  output: { presets: list(Preset), ...pageResult },
  run: listPresets,
})
