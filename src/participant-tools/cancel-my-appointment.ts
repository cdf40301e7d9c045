import { id, text } from '../kernel/args.ts'
import { registrantTool } from '../kernel/participant-tool.ts'
import { cancelMyAppointment, MyAppointment } from '../domains/exhibitors/my-appointments.ts'

export default registrantTool({
  name: 'cancel_my_appointment',
  title: 'Cancel one of my appointments',
  description:
    "Call off or release one of the person's meetings, a one-to-one they won't make after all, and let the other side know by email; cannot be undone, and the freed slot can be booked by anyone. Call with dryRun first and ask the person. Ids: list_my_appointments. Returns the appointment, cancelled.",
  effect: 'destructive',
  idempotent: true,
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: { appointmentId: id('appointment'), reason: text(300).optional() },
  output: { appointment: MyAppointment },
  run: cancelMyAppointment,
})
