import { defineStates } from '../../kernel/states.ts'

export const appointmentStates = defineStates({
  column: 'appointments.status',
  kind: 'appointment',
  noun: 'appointment',
  initial: 'booked',
  moves: {
    pending: ['booked', 'declined', 'cancelled'],
    booked: ['cancelled', 'completed', 'no_show'],
    declined: [],
    cancelled: [],
    completed: [],
    no_show: [],
  },
  announced: { cancelled: 'appointment.cancelled' },
})

/** Appointment statuses that occupy a slot and the participants' time. */
export const LIVE_APPOINTMENT_STATUSES = ['pending', 'booked'] as const
