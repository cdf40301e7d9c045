import { defineStateMachine } from '../../kernel/states.ts'

export const appointmentStates = defineStateMachine({
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
export const SLOT_OCCUPYING_STATUSES = ['pending', 'booked'] as const
