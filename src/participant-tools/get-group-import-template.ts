import { z } from 'zod'
import { toOneLine, code, count, object, oneOf, text } from '../kernel/args.ts'
import { personTool } from '../kernel/participant-tool.ts'
import { buildImportTemplate } from '../domains/groups/import-template.ts'
import { MemberImportColumns } from '../domains/groups/member-columns.ts'

export default personTool({
  name: 'get_group_import_template',
  title: 'Get the sheet for group members',
  description:
    'Get the blank form, team sheet or roster CSV for a group or delegation the person manages: what is needed of each member, with required columns, choices and rooms. Use before import_group_members. Returns the group, columns, an example member and the CSV to fill in when asked for.',
  effect: 'read',
  input: { groupCode: code().optional(), format: oneOf(['json', 'csv']).default('json') },
  output: {
    group: toOneLine(object({ code: text(), name: z.string(), seatsLeft: count().optional() }), 'code, name, seatsLeft'),
    columns: MemberImportColumns,
    csv: z.string().optional(),
    example: toOneLine(object({ data: z.record(z.string(), z.unknown()) }), 'one member: data by binding'),
  },
  run: (ctx, input) => buildImportTemplate(ctx, input),
})
