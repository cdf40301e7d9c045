import type { TemplateTexts } from '../texts.ts'

export const portugueseTemplateTexts: TemplateTexts = {
  registration: 'Inscrição',
  contact: 'Os seus dados',
  choices: 'As suas escolhas',
  thanks: 'Obrigado',
  registered: 'A sua inscrição está feita. Vai receber uma confirmação por e-mail.',
  terms: 'Condições de participação',
  termsText:
    'Ao inscrever-me, aceito que a organização conserve os meus dados para a realização deste evento e me contacte a esse respeito.',
  confirmation: 'Confirmação',
  confirmationSubject: 'A sua inscrição em {{event.name}}',
  confirmationHello: 'Obrigado, {{participant.firstName}}',
  confirmationText:
    'A sua inscrição em {{event.name}} está confirmada. O seu número de confirmação é <strong>{{participant.confirmationNumber}}</strong>.',
  confirmationButton: 'Ver ou alterar a minha inscrição',
  cancellation: 'Cancelamento',
  cancellationSubject: 'A sua inscrição em {{event.name}} está cancelada',
  cancellationText:
    'Olá, {{participant.firstName}}. A sua inscrição em {{event.name}} está cancelada. Se se trata de um erro, escreva para {{event.contactEmail}}.',
  admission: 'Entrada',
  attendance: 'Participação',
  dietaryHelp: 'Para que o serviço de refeições tenha algo para si.',
  onlineAccess: 'Acesso online',
  visitorTicket: 'Bilhete de visitante',
  booth: 'Stand',
  boothSmall: 'Pequeno, 3 × 3 m',
  boothMedium: 'Médio, 6 × 3 m',
  boothLarge: 'Grande, 6 × 6 m',
  exhibitors: 'Candidatura de expositores',
  exhibits: 'O que vai expor?',
  yourBooth: 'O seu stand',
  applied: 'Obrigado pela sua candidatura. Vamos escrever-lhe sobre o seu stand.',
}
