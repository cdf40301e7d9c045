import { id, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { BoothDetails, describeBooth } from '../../domains/exhibitors/booths/get.ts'

export default eventTool({
  name: 'get_booth',
  title: 'Show a booth',
  description:
    'Show all about one stand: size, open sides, utilities, price with corner fee, who is next door and how far, who had it before, how visitors find it, and which applicants want it. Not for finding free stands (use list_booths). Returns the booth, neighbours, history, price lines and a picture of the hall.',
  effect: 'read',
  toleratesLag: true,
  permission: 'exhibitors.read',
  input: { number: text(12).optional(), boothId: id('booth').optional() },
  output: BoothDetails,
  run: describeBooth,
})
