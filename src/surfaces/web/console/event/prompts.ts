/** Assistant prompts by setup task. Each includes the event's name, so that it works in a new conversation. */
const TASK_PROMPTS: Record<string, string> = {
  'basics.details': 'fill in the missing contact address, venue and website. Ask me if you need information.',
  'basics.locales': 'translate the missing texts into its other languages. Show me the translations before you save them.',
  'basics.staff': 'give a colleague the manager role, so that I am not the only one who can change it. Ask me for the name.',
  'design.theme': 'set our logo and colours on its pages, and check that the text is easy to read.',
  'catalog.products': 'set a price for admission from today until the event starts. Ask me for the amounts and for an early price.',
  'catalog.taxes': 'work out with me which tax each product needs, and set it.',
  'catalog.policies': 'write the terms that participants accept when they register. Show me the text first.',
  'flow.exists': 'create the registration form. Ask me which information we need.',
  'flow.valid': 'check the configuration, fix the errors and list what you changed.',
  'flow.reviewed': 'review the registration forms and fix everything that stops people from registering. List what you changed.',
  'flow.rehearsed': 'run a test of every registration form with simulated participants and show me the results.',
  'payment.provider': 'make sure that participants can pay. Show me what is missing and set it up with me.',
  'email.sender': 'set up the confirmation email. Show it to me first.',
  'directory.ready': 'test the connection to our member directory and show me what is wrong.',
  'exhibitors.setup': 'set up the booth sizes and prices for exhibitors. Ask me for them.',
  'sessions.setup': 'set up the session formats and rooms. Ask me for them.',
  'badge.designed': 'decide with me what the badge shows, and set it up.',
  'surveys.ready': 'write the survey invitation email. Show it to me first.',
  'publish.first': 'show me what would happen if you published it now. Publish it when I agree.',
  'publish.current': 'show me which changes in the draft are not live yet. Publish them when I agree.',
  'open.window': 'open registration. Ask me for the opening and closing dates.',
  'testmode.off': 'turn test mode off, so that registrations count. Show me what that changes.',
}

export const getSetupTaskPrompt = (code: string, event: { name: string }): string | null =>
  Object.hasOwn(TASK_PROMPTS, code) ? `For ${event.name}: ${TASK_PROMPTS[code]}` : null
