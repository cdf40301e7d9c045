import { day, id, list, pageArguments, pageResult, searchArgument, timeOfDay } from '../kernel/args.ts'
import { personTool } from '../kernel/participant-tool.ts'
import { AvailableCompany, listCompanyAvailability } from '../domains/exhibitors/availability.ts'

export default personTool({
  name: 'list_exhibitor_availability',
  title: 'List free appointment slots',
  description:
    "Show when the person can meet someone from an exhibitor: the free appointment slots of exhibiting companies, by company, day or hours of the day. Use before book_exhibitor_appointment, which takes a slotId. Not for where a booth is (get_booth_map). Returns companies with open slots and which of them clash with the person's own.",
  effect: 'read',
  input: {
    companyId: id('company').optional(),
    search: searchArgument().optional(),
    day: day().optional(),
    from: timeOfDay().optional(),
    until: timeOfDay().optional(),
    ...pageArguments,
  },
  output: { companies: list(AvailableCompany), ...pageResult },
  run: listCompanyAvailability,
})
