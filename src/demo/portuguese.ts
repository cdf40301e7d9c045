import type { ConfigDocument } from '../domains/configuration/schema/event-config.ts'
import { hashSource, listTexts } from '../domains/configuration/texts.ts'

/** Portuguese translations by English text. */
const PORTUGUESE: Readonly<Record<string, string>> = {
  'Acme Summit 2027': 'Acme Summit 2027',
  'Three days on building things that last.': 'Três dias sobre construir o que dura.',
  '<p>Talks, workshops and long conversations by the river, for people who build and for those who keep it running.</p>':
    '<p>Palestras, oficinas e longas conversas à beira-rio, para quem constrói e para quem mantém tudo a funcionar.</p>',
  'Centro do Rio': 'Centro do Rio',
  Member: 'Membro',
  Speaker: 'Orador',
  Exhibitor: 'Expositor',
  Press: 'Imprensa',
  'What do you eat?': 'O que come?',
  Everything: 'De tudo',
  Vegetarian: 'Vegetariano',
  Vegan: 'Vegano',
  'Something else': 'Outra coisa',
  'What should the kitchen know?': 'O que deve a cozinha saber?',
  'Is this your first summit?': 'É a sua primeira cimeira?',
  'What brings you here?': 'O que o traz cá?',
  Design: 'Design',
  Data: 'Dados',
  Operations: 'Operações',
  People: 'Pessoas',
  'Shirt size': 'Tamanho da camisola',
  S: 'S',
  M: 'M',
  L: 'L',
  XL: 'XL',
  'Who is your talk for?': 'Para quem é a sua palestra?',
  Everybody: 'Toda a gente',
  Experts: 'Especialistas',
  'What does your company show?': 'O que mostra a sua empresa?',
  'Conference pass': 'Passe da conferência',
  '<p>All three days, lunch included.</p>': '<p>Os três dias, com almoço incluído.</p>',
  'Online pass': 'Passe online',
  'Workshop: forms people finish': 'Oficina: formulários que se acabam',
  'Workshop: numbers you can trust': 'Oficina: números de confiança',
  'Dinner by the river': 'Jantar à beira-rio',
  'Walk through Alfama': 'Passeio por Alfama',
  'Partner pass': 'Passe de acompanhante',
  'Summit shirt': 'Camisola da cimeira',
  'Plant a tree': 'Plante uma árvore',
  'Booth of 6 m²': 'Stand de 6 m²',
  'Booth of 9 m²': 'Stand de 9 m²',
  'Lead scanning': 'Leitura de contactos',
  VAT: 'IVA',
  'VAT on meals': 'IVA das refeições',
  'Partners of the summit': 'Parceiros da cimeira',
  'Code of conduct': 'Código de conduta',
  '<p>Be kind, be curious, let others finish. Anyone who harasses others has to leave without a refund.</p>':
    '<p>Seja gentil, seja curioso, deixe os outros acabar. Quem assediar alguém sai sem reembolso.</p>',
  'Terms and privacy': 'Termos e privacidade',
  '<p>We keep your answers to run the summit and delete them a year after it. Until 11 April you get a full refund.</p>':
    '<p>Guardamos as suas respostas para organizar a cimeira e apagamo-las um ano depois. Até 11 de abril devolvemos tudo o que pagou.</p>',
  Attendee: 'Participante',
  Partner: 'Acompanhante',
  'About you': 'Sobre si',
  'Your needs': 'As suas necessidades',
  'So that lunch suits you.': 'Para que o almoço lhe agrade.',
  'Ramps, seats, sign language: tell us what helps, and only if you wish.':
    'Rampas, lugares, língua gestual: diga-nos o que ajuda, e só se quiser.',
  'New to the summit': 'Novo na cimeira',
  '<p>Welcome! Newcomers meet on the first morning at the garden gate.</p>':
    '<p>Bem-vindo! Quem vem pela primeira vez encontra-se na primeira manhã junto ao portão do jardim.</p>',
  Tickets: 'Bilhetes',
  'Your program': 'O seu programa',
  'Agree and pay': 'Aceitar e pagar',
  'Invoices are due within 30 days.': 'As faturas vencem em 30 dias.',
  Done: 'Concluído',
  '<p>See you in Lisbon. Your ticket is on its way by email.</p>': '<p>Até Lisboa. O seu bilhete segue por correio eletrónico.</p>',
  'Code from your invitation': 'Código do seu convite',
  'Printed in the program.': 'Impresso no programa.',
  'Your talk': 'A sua palestra',
  'Your stay': 'A sua estadia',
  'Thank you': 'Obrigado',
  '<p>We are glad to have you on stage.</p>': '<p>É um gosto tê-lo em palco.</p>',
  'Who to talk to': 'Com quem falar',
  'Your company': 'A sua empresa',
  'Your booth': 'O seu stand',
  '<p>Your application is in. We will send you the floor plan.</p>': '<p>Recebemos a sua candidatura. Vamos enviar-lhe a planta.</p>',
  'You are registered for {{event.name}}': 'Está inscrito em {{event.name}}',
  'Good to have you, {{participant.firstName}}': 'Que bom tê-lo connosco, {{participant.firstName}}',
  'Show this at the door': 'Mostre isto à entrada',
  'See or change your registration': 'Ver ou alterar a sua inscrição',
  'Your registration for {{event.name}} is cancelled': 'A sua inscrição em {{event.name}} foi cancelada',
  '<p>We are sorry to miss you. Your refund, if any, is on its way.</p>':
    '<p>Temos pena de não o ver. O que lhe devemos já vai a caminho.</p>',
  'How was {{event.name}}?': 'Como foi {{event.name}}?',
  'Tell us in two minutes': 'Conte-nos em dois minutos',
  '3 × 2 m': '3 × 2 m',
  '3 × 3 m': '3 × 3 m',
  'Main entrance': 'Entrada principal',
  Build: 'Construir',
  Run: 'Operar',
  Talk: 'Palestra',
  Workshop: 'Oficina',
  'River hall': 'Sala do Rio',
  'Garden room': 'Sala do Jardim',
  'After the summit': 'Depois da cimeira',
  'Would you recommend the summit?': 'Recomendaria a cimeira?',
  'What was best?': 'O que foi melhor?',
}

/** Adds the Portuguese translation of every known text. */
export function addPortuguese(document: ConfigDocument): ConfigDocument {
  const entries = listTexts(document).flatMap(({ path, text }) => {
    const translated = PORTUGUESE[text]
    return translated === undefined
      ? []
      : [[path, { text: translated, sourceHash: hashSource(text), state: 'reviewed' as const }] as const]
  })
  return { ...document, translations: { pt: Object.fromEntries(entries) } }
}
