import type { ConfigDocument } from '../../configuration/schema/event-config.ts'
import {
  admission,
  admissionChoice,
  agreement,
  cancellationEmail,
  checkout,
  confirmationEmail,
  confirmationPage,
  contactPage,
  type Flow,
  type Occasion,
  terms,
  type Widget,
} from './parts.ts'
import { tradeShow } from './trade-show.ts'

export const TEMPLATES = ['blank', 'conference', 'tradeShow', 'meeting', 'virtual'] as const
export type Template = (typeof TEMPLATES)[number]

type Parts = Omit<ConfigDocument, 'details'>

/** Contact, choices, confirmation: the shortest way that asks all that is needed. */
const attendeeFlow = (choices: readonly Widget[], more: readonly Widget[] = []): Flow => ({
  slug: 'attendee',
  name: 'Registration',
  confirmationEmail: 'confirmation',
  pages: [
    contactPage(...more),
    { code: 'choices', title: 'Your choices', widgets: [...choices] },
    confirmationPage('<p>You are registered. A confirmation is on its way to you by email.</p>'),
  ],
})

const always = { policies: [terms], emails: [confirmationEmail, cancellationEmail] }
const jobTitle: Widget = { id: 'job-title', type: 'field', binding: '@participant.jobTitle' }

/** A configuration that can be published as it is; a blank one has nothing to register with yet. */
const MADE: Record<Template, (occasion: Occasion) => Parts> = {
  blank: () => ({}),
  conference: (occasion) => ({
    ...always,
    products: [admission(occasion)],
    flows: [attendeeFlow([admissionChoice, agreement, ...checkout], [jobTitle])],
    badge: { fields: ['@participant.firstName', '@participant.lastName', '@participant.company'] },
  }),
  tradeShow: (occasion) => tradeShow(occasion, attendeeFlow([admissionChoice, agreement, ...checkout], [jobTitle]), always),
  meeting: (occasion) => ({
    ...always,
    products: [admission(occasion, { name: 'Attendance' })],
    flows: [
      attendeeFlow([
        admissionChoice,
        { id: 'dietary', type: 'field', binding: '@participant.dietary', help: 'So that the catering has something for you.' },
        agreement,
      ]),
    ],
  }),
  virtual: (occasion) => ({
    ...always,
    emails: [
      {
        ...confirmationEmail,
        blocks: confirmationEmail.blocks!.map((block) =>
          block.type === 'eventDetails' ? { ...block, show: ['name', 'dates', 'website'] } : block,
        ),
      },
      cancellationEmail,
    ],
    products: [admission(occasion, { name: 'Online access', supply: 'virtual', grants: ['stream'] })],
    flows: [attendeeFlow([admissionChoice, agreement])],
  }),
}

export const templateOf = (template: Template, occasion: Occasion): Parts => MADE[template](occasion)
