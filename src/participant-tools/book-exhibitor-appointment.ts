import { id, list, text } from '../kernel/args.ts'
import { registrantTool } from '../kernel/participant-tool.ts'
import { bookExhibitorAppointment, BookedAppointment } from '../domains/exhibitors/my-appointments.ts'

export default registrantTool({
  name: 'book_exhibitor_appointment',
  title: 'Book an appointment with an exhibitor',
  description:
    "Take or reserve a slot for the person, a one-to-one with an exhibitor at its stand, as Wednesday half past ten or at two; cannot be undone, shares their contact details with that company as a lead and emails both. Tell them what dryRun says is shared. Slots: list_exhibitor_availability. Returns the appointment, the shared fields and the lead's id.",
  effect: 'destructive',
  idempotent: true,
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: { slotId: id('slot'), message: text(500).optional() },
  output: { appointment: BookedAppointment, shared: list(text()), leadId: text().optional() },
  run: bookExhibitorAppointment,
})
