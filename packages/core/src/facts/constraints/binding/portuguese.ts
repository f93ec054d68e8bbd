export const portuguese = String.raw`
where doing: (?:usa|use|usar|utiliza|utilize|faça|faz|fazer|modifique|altere|mude|adicione|crie|escreva|apague|remova|exclua|corrija|conserte|implemente|instale|substitua|renomeie|execute|rode|trabalhe|mostre|salve|suba|publique|atualize|coloque|deixe|mexa)
common:
  o a os as de do da dos das um uma e é não que em no na nos nas com por para se ao seu sua como mas sem
  mais todo todos deve devem nunca sempre só somente apenas isso este esta use favor quero muito já também
  você arquivo código
letters: ãõçáéíóúâê
breaks: [,;:!]\s+|\s+[-–—]+\s+|\.{2,}\s*|\s*[()]\s*|\s+(?=(?:mas|e|porque|pois)\s)
fillers:
  por favor|pf|também|ok|beleza|bom|e|mas|ou|então|sim|não,|além disso|atenção|importante|porque|pois|depois
  agora|obrigad[oa]|lembre(?:-se)? (?:de )?que|(?:eu )?acho que
question sentence: [?？][\s"')»]*$
question head: (?:por ?qu[eê]|como (?:faço|posso|é que|que)|onde|quando|qual|quais|quem|o que|você (?:pode|consegue)|pode(?:ria)?|dá pra)\b
narrative head: (?:eu )?(?:não (?:entendi|entendo|sei|vejo|consigo|tenho|acho|lembro|preciso|estou|encontro)|tenho que|preciso|estou|tive|vou|vi\b|me )
report sentence weak: \b(?:não (?:funciona|carrega|aparece|compila|abre|mostra|responde|está funcionando)|falha|falhando|(?:dá|um|deu) erro|quebra|quebrou|continua (?:sem|dando|falhando)|ainda|atualmente|no momento|mas (?:mostra|aparece|dá|não|está))\b
musing sentence weak: \b(?:talvez|provavelmente|será que|me pergunto|não sei se|quem sabe)\b
prohibition head:
  não (?:me |o |a |os |as |se )?(?!é\b|há\b|está\b|são\b|sei\b|entendi|entendo|funciona|consigo|tenho|tem\b|vejo|aparece|acho|importa|era|foi\b|carrega|compila|mostra|se preocupe|esqueça|só\b|tem problema|lembro|estou|preciso|parece|precisa)\S+(?:e|a|em|am|er|ar|ir|que|ça|ja|mos)\b
  não (?:pode|podem|deve|devem|quero|queremos)\b(?! (?:conectar|abrir|saber))
  (?:aqui )?(?:nunca|jamais) (?!vi\b|tinha|funciona)\S
  (?:sem|nenhum|nenhuma|nada de) (?!problema|dúvida|erro)\S
  (?:evit(?:e|ar)|pare de)\b
prohibition clause:
  (?:^|\s)não (?:deve|devem|deveria|deveriam|pode haver|se (?:deve|pode)|é permitido|são permitid[oa]s)(?:\s|$)
  \b(?:é|está|estão|são) (?:estritamente )?proibid[oa]s?\b
  \b(?:em hipótese alguma|de jeito nenhum)\b
necessity head weak:
  (?!eu\b|se\b|quando\b|que\b|nós\b)(?:\S+ ){1,12}?(?:deve|devem|deverá|deverão|deveria|deveriam|tem que|têm que|precisa ser|precisam ser)(?=\s)(?! (?:haver|estar (?:pronto|ok)|funcionar))
  (?:você deve|deve ser|devem ser)\b
standing clause weak: \b(?:sempre|toda vez que|a partir de agora|daqui (?:em diante|pra frente)|no futuro|depois de cada|antes de cada|após cada)\b(?! (?:falha|dá|aparece))
limit head weak:
  (?:só|somente|apenas|no máximo|pelo menos)(?=\s)(?! (?:falta|tem|tenho|uma pergunta))
  {doing}(?=\s).{0,140}\s(?:só|somente|apenas|exclusivamente|sem|em vez de|ao invés de|no máximo|nada mais)(?=\s)
  (?:em vez de|ao invés de)\b.{2,140}\b(?:use|utilize|usa)\b
keep head: (?:mantenha|manter|mantém|preserve|conserve|respeite|certifique-se|garanta|assegure|siga (?:as?|os?|noss[oa]s?)|cuide (?:para|que)|deixe .{1,80} (?:como está|intact[oa]s?|sem (?:alteração|mudanças)|igual))(?![\p{L}])
preference head weak:
  (?:eu )?(?:prefiro|preferimos|preferiria)\b
  (?:eu )?(?:quero|queremos|queria|gostaria) (?:que (?!você (?:me|revise|faça|olhe|veja|explique))|só |apenas |manter |usar |evitar )
  (?:vamos (?:usar|manter|evitar|ficar com))\b
allows:
  (?:já |agora )?(?:(?:você )?pode|podem)(?: já| agora)?[ ]
  tudo bem[ ]
releases:
  (?:já )?não (?:precisa|é preciso|é necessário)(?: mais)?[ ]
  esquece[ ]
ends:
  não (?:está|é) mais (?:proibid[oa]|necessári[oa]|válid[oa])
  (?:regra|restrição)\b.{0,60}\b(?:não vale mais|caiu|acabou)
  (?:está|estão) (?:agora |de novo )?permitid[oa]s?\b
  mudei de ideia
cancels: (?:na verdade |melhor )?(?:esquece(?: isso)?|esqueça isso|deixa (?:pra lá|quieto)|ignore isso|cancela isso)[.!]*$
negations: em vez de|ao invés de|não|não usar mais
empty:
  o a os as de do da um uma e ou não nunca sempre que em no na com por para se ao seu como mas sem mais já
  agora use usar pode podem deve devem isso este esta você
passing: por enquanto|por agora|desta vez|hoje
moment: ainda|por enquanto|por agora|agora
always: nunca|sempre|jamais|cada|nenhum|nenhuma
headings: restrições|regras|requisitos|limitações|normas|convenções|proibido|condições|princípios|diretrizes
forbidden headings: .*(?:proibido|proibições).*
strong demand:
  deve|devem|deverá|não deve|não pode|não use|não faça|não altere|nunca|sempre|apenas|somente|certifique-se
  garanta|evite|em vez de|ao invés de|obrigatório|obrigatória|proibido|no máximo|no mínimo|pelo menos|não
weak demand: precisa|precisam|tem que|mantenha|manter|necessário|deveria|só|exige|sem
`
