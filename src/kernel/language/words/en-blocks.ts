/** Requests for room blocks: emails and pages. */
export const blocks = {
  'mail.blockReceived.subject': 'Room request {number} received: {event}',
  'mail.blockReceived.text': 'We received the request {number} of {requester} for {nights} room nights, {from} to {until}.',
  'mail.blockReceived.next': 'The housing team reviews it and emails you which rooms you can have.',
  'mail.blockAllocated.subject': 'Rooms for {requester} at {event}',
  'mail.blockAllocated.text': 'We offer {requester} {granted} of the {nights} room nights in request {number}: {hotels}.',
  'mail.block.until': 'Accept or decline by {deadline}. After that, the rooms are released.',
  'mail.blockAmended.subject': 'Change to room request {number}: {event}',
  'mail.blockAmended.approved': 'The change to request {number} was approved.',
  'mail.blockAmended.denied': 'The change to request {number} was not approved. Your rooms stay as they are.',
  'mail.blockAmended.changed': 'The housing team changed the rooms of request {number}.',
  'mail.block.rooms': '{requester} now has {granted} room nights: {hotels}.',
  'mail.blockReleased.subject': 'Rooms of request {number} released: {event}',
  'mail.blockReleased.text': '{released} room nights of request {number} without a guest were released. Reservations of named guests stay.',
  'mail.block.button': 'View the request',
  'mail.required.request': 'Request',
} as const
