import { id, list, text } from '../kernel/args.ts'
import { registrantTool } from '../kernel/participant-tool.ts'
import { bookExhibitorAppointment, BookedAppointment } from '../domains/exhibitors/my-appointments.ts'

export default registrantTool({
  name: 'book_exhibitor_appointment',
  title: 'Book an appointment with an exhibitor',
  description:
    "Cannot be undone: books a meeting at an exhibitor's booth, shares the person's contact details with that company as a lead and emails both. Call with dryRun first and tell the person what is shared; go on when they agree. Slots: list_exhibitor_availability. Returns the appointment, the shared fields and the lead's id.",
  effect: 'destructive',
  idempotent: true,
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: { slotId: id(), message: text(500).optional() },
  output: { appointment: BookedAppointment, shared: list(text()), leadId: text().optional() },
  run: bookExhibitorAppointment,
})
