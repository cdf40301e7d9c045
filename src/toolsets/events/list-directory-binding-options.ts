import { z } from 'zod'
import { code, flag, list, object, untrustedText, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { listFieldMappingOptions } from '../../domains/directories/binding-options.ts'

export default eventTool({
  name: 'list_directory_binding_options',
  title: 'List directory binding options',
  description:
    'Suggest field mappings: what a member database offers (payload of its last test) and which fields of the form it could fill (prefill), source to target. Not for setting them (use configure_directory_connection). Returns possible sources, targets, transforms and pairs that fit.',
  effect: 'read',
  permission: 'events.read',
  input: { connection: code().optional() },
  output: {
    sources: list(object({ expression: untrustedText(), sampleType: text(), samplePresent: flag() })),
    targets: list(object({ binding: text(), label: text(), type: text(), choices: list(text()).optional() })),
    transforms: list(text()),
    suggested: list(object({ from: untrustedText(), to: text(), transform: text().optional(), score: z.number() })),
  },
  run: listFieldMappingOptions,
})
