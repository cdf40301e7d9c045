export const portugueseAwardTexts = {
  'mail.awardWon.subject': 'A sua proposta para {rfp} foi escolhida: {event}',
  'mail.awardWon.heading': 'A sua proposta foi escolhida',
  'mail.awardWon.text': 'Obrigado, {supplier}: {client} escolheu a sua proposta para {rfp} ({event}).',
  'mail.awardWon.rooms': 'São-lhe adjudicadas {rooms} noites de quarto.',
  'mail.awardWon.next': 'Receberá o contrato por e-mail. Nada é vinculativo antes de ambas as partes assinarem.',
  'mail.awardDeclined.subject': 'Decisão sobre {rfp}: {event}',
  'mail.awardDeclined.heading': 'Obrigado pela sua proposta',
  'mail.awardDeclined.text': 'Obrigado, {supplier}, pela sua proposta para {rfp} ({event}). Desta vez, {client} escolheu outro fornecedor.',
  'mail.awardDeclined.winner': 'Fornecedor escolhido: {winner}.',
  'mail.awardDeclined.thanks': 'Teremos todo o gosto em voltar a convidar a sua empresa.',
}
