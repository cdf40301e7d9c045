import { id, text } from '../kernel/args.ts'
import { registrantTool } from '../kernel/participant-tool.ts'
import { cancelMyAppointment, MyAppointment } from '../domains/exhibitors/my-appointments.ts'

export default registrantTool({
  name: 'cancel_my_appointment',
  title: 'Cancel one of my appointments',
  description:
    "Cannot be undone: calls off one of the person's meetings and emails the other side, the exhibitor's contact or the other participant; the freed slot can be booked by anyone. Call with dryRun first and ask the person. Ids: list_my_appointments. Returns the appointment, cancelled.",
  effect: 'destructive',
  idempotent: true,
  openWorld: true,
  dryRun: true,
  input: { appointmentId: id(), reason: text(300).optional() },
  output: { appointment: MyAppointment },
  run: cancelMyAppointment,
})
