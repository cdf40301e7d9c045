import { flag, list, pageArguments, pageResult } from '../kernel/args.ts'
import { registrantTool } from '../kernel/participant-tool.ts'
import { listMyAppointments, MyAppointment } from '../domains/exhibitors/my-appointments.ts'

export default registrantTool({
  name: 'list_my_appointments',
  title: 'List my appointments',
  description:
    "The person's own meeting schedule (matchmaking): who they promised to see tomorrow or later, exhibitors and other participants, when, at what stand, and whether it can still be cancelled. Past and cancelled ones only when asked for. For new times use list_exhibitor_availability. Returns appointments by start.",
  effect: 'read',
  input: { includePast: flag().default(false), includeCancelled: flag().default(false), ...pageArguments },
  output: { appointments: list(MyAppointment), ...pageResult },
  run: listMyAppointments,
})
