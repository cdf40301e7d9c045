/** What to ask an assistant for each set-up task. It is said as a person would, with the event's name, so that it works in a new conversation. */
const ASKS: Record<string, string> = {
  'basics.details': 'fill in what is missing about it: contact address, venue and website. Ask me for what you do not know.',
  'basics.locales': 'translate the texts that are missing in its other languages, and show me what you wrote before you save it.',
  'basics.staff': 'give a colleague the manager role, so that I am not the only one who can change it. Ask me whom.',
  'design.theme': 'set our logo and colours on its pages, and tell me whether they can be read well.',
  'catalog.products': 'give the admission a price from today until it starts. Ask me for the amounts and for an early price.',
  'catalog.taxes': 'decide with me which tax each product needs, and set them.',
  'catalog.policies': 'write the terms that people agree to when they register, and show me the text first.',
  'flow.exists': 'make the form by which people register. Ask me what we need to know about them.',
  'flow.valid': 'check the configuration, mend what is broken and tell me what you changed.',
  'flow.reviewed': 'review the registration forms and mend what nobody could get past. Tell me what you changed.',
  'flow.rehearsed': 'rehearse every registration form with made-up people and tell me what you found.',
  'payment.provider': 'make sure that people can pay: tell me what is missing and set it up with me.',
  'email.sender': 'set up the mail that confirms a registration, and show it to me first.',
  'directory.ready': 'test the connection to our member directory and tell me what is wrong with it.',
  'exhibitors.setup': 'set up the booth sizes and their prices for exhibitors. Ask me for them.',
  'sessions.setup': 'set up the formats and rooms of the program. Ask me for them.',
  'badge.designed': 'decide with me what the badge shows, and set it.',
  'surveys.ready': 'write the mail that invites to the survey, and show it to me first.',
  'publish.first': 'tell me what would happen if you published it now, and publish it when I say so.',
  'publish.current': 'tell me what is in the draft and not live yet, and publish it when I say so.',
  'open.window': 'open registration. Ask me from when until when.',
  'testmode.off': 'turn test mode off, so that registrations count, and tell me what that changes.',
}

export const askFor = (code: string, event: { name: string }): string | null =>
  Object.hasOwn(ASKS, code) ? `For ${event.name}: ${ASKS[code]}` : null
