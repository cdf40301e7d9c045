import { list, pageArguments, pageResult, searchArgument } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { listPresets, DirectoryPresetSummary } from '../../domains/directories/presets.ts'

export default eventTool({
  name: 'list_directory_presets',
  title: 'List directory presets',
  description:
    'List the membership systems supported out of the box: AMS and CRM connectors such as iMIS, Wild Apricot, Salesforce, HubSpot, and which login details each needs. Not for links this event has (use list_directory_connections). Returns auth, credential names and settings; of one (search its code) its requests too.',
  effect: 'read',
  permission: 'events.read',
  input: { search: searchArgument().optional(), ...pageArguments },
  output: { presets: list(DirectoryPresetSummary), ...pageResult },
  run: listPresets,
})
