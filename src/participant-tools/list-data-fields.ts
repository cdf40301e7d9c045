import { code, oneOf, searchArgument } from '../kernel/args.ts'
import { personTool } from '../kernel/participant-tool.ts'
import { listAssistantFillableFields, AssistantFillableFields } from '../domains/registration/own/own-fields.ts'

export default personTool({
  name: 'list_data_fields',
  title: 'List fields and formats',
  description:
    'List the fields (details) that can be entered for a registration, with formats, max lengths and picklists: permitted options and allowed values, as shirt sizes or allergies; hotel fields included. Not for what one person still has to answer (use describe_my_flow). Returns fields and their number.',
  effect: 'read',
  input: {
    flowSlug: code().optional(),
    entity: oneOf(['participant', 'custom', 'housing']).optional(),
    search: searchArgument().optional(),
  },
  output: AssistantFillableFields,
  run: listAssistantFillableFields,
})
