import { z } from 'zod'
import { code, flag, list, object, outsideText, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { listBindingOptions } from '../../domains/directories/binding-options.ts'

export default eventTool({
  name: 'list_directory_binding_options',
  title: 'List directory binding options',
  description:
    'List what a directory connection can fill in: source expressions seen in its last passed test (or its preset), target fields of the event, transforms, and suggested pairs. Use before setting bindings. Not for setting them (use configure_directory_connection). Returns expressions and types, no values.',
  effect: 'read',
  permission: 'events.read',
  input: { connection: code().optional() },
  output: {
    sources: list(object({ expression: outsideText(), sampleType: text(), samplePresent: flag() })),
    targets: list(object({ binding: text(), label: text(), type: text(), choices: list(text()).optional() })),
    transforms: list(text()),
    suggested: list(object({ from: outsideText(), to: text(), transform: text().optional(), score: z.number() })),
  },
  run: listBindingOptions,
})
