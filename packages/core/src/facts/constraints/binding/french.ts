export const french = String.raw`
where doing: (?:utilise[zr]?|modifie[zr]?|change[zr]?|touche[zr]?|ajoute[zr]?|supprime[zr]?|fai(?:s|tes|re)|écri(?:s|vez|re)|cré(?:e|ez|er)|install(?:e|ez|er)|pousse[zr]?|commit(?:te|tez|er|e)?|corrige[rz]?|implémente[zr]?|mets|mettez|mettre|remplace[zr]?|renomme[zr]?|lance[zr]?|travaille[zr]?|affiche[zr]?|garde[zr]?|livre[zr]?|déploie|déployez)
common:
  le la les de des du un une et est ne pas que qui en dans pour sur avec ce cette il elle je tu nous vous on
  au aux mais ou où sans plus tout tous doit doivent faut jamais toujours seulement utilise merci comme si
  être
letters: èêëîïœçùûà
breaks: [,;:!]\s+|\s+[;:!]\s+|\s+[-–—]+\s+|\.{2,}\s*|\s*[()]\s*|\s+(?=(?:mais|et|parce|car|donc)\s)
fillers:
  s'il (?:te|vous) pla[iî]t|stp|svp|merci|aussi|ok|d'accord|et|mais|ou|donc|alors|bon|oui|non,|en fait
  par contre|de plus|attention|important|surtout|car|parce que|puis|ensuite|je (?:pense|crois|trouve) que
  n'oublie pas que
question sentence: [?？][\s"')»]*$
question head:
  (?:pourquoi|comment|où|quand|quel(?:le)?s?|est-ce|qu'est-ce|qui est-ce|combien)\b
  (?:peux|pourrais|pouvez|pourriez|peut|dois|devons|as|avez|es|êtes)[- ](?:tu|vous|on|je|nous|il|elle)\b
narrative head: (?:je ne (?!veux|souhaite)|je (?:dois|vois|sais|suis|vais|peux|pensais)|j'(?:ai|étais|avais|essaie|arrive|aurais)|j'y|on a|nous avons|on n'a|il (?:me|m'))
report sentence weak: \b(?:ne (?:fonctionne|marche|s'affiche|charge|compile|passe|répond) (?:pas|plus)|ça (?:plante|bug)|plante|échoue|(?:une|l')\s?erreur|toujours pas|encore|actuellement|pour le moment|en ce moment|au lieu de (?:ça|cela)|s'affiche (?:pas|mal)|mais (?:ça|il|elle|on) )
musing sentence weak: \b(?:peut-être|probablement|je me demande|éventuellement|je ne sais pas|sans doute)\b
prohibition head:
  (?:ne |n')(?!est\b|a\b|y\b|ont\b|sont\b|fonctionne|marche|sais|vois|comprend|était|t'inquiète|vous inquiétez|t'en fais)\S+.{0,80}?\b(?:pas|jamais|plus|rien|aucun|aucune|que)\b
  ne (?:pas|jamais|plus|rien) (?!mal\b|vraiment)\w
  jamais (?!vu|eu|fait|été)\w
  (?:pas|plus) d(?:e |')(?!problème|souci|réponse|résultat|chance|panique|temps|erreur|échec|changement|avis|idée)\w
  aucune? (?!idée|problème|résultat|erreur|souci|réponse)\w
  évite[zr]?\b
  interdiction\b
  (?:je|nous|on) (?:ne )?(?:veux|voulons|veut|souhaite|souhaitons) (?:surtout )?(?:pas|plus|aucun)
prohibition clause:
  \b(?:ne (?:doit|doivent|dois|devez|devrait|devraient|peut|faut)|n'est|ne sont) (?:surtout )?(?:pas (?!besoin)(?=\w)|(?:jamais|plus|en aucun cas)\b)(?! (?:clair|bon|normal|possible|vrai|grave|sûr))
  \bil ne faut (?:pas|jamais|surtout)\b
  \b(?:est|sont) (?:strictement )?interdite?s?\b
  \ben aucun cas\b
necessity head weak:
  (?!je\b|j'|nous\b|on\b|si\b|quand\b|que\b)(?:\S+ ){1,12}?(?:doit|doivent|devra|devront|devrait|devraient)\b(?! (?:être (?:réparé|corrigé|bon|fini)|marcher|fonctionner|maintenant|y avoir|avoir))
  (?:tu|vous) (?:dois|devez)\b
  il faut (?:que|toujours|absolument|impérativement|garder|utiliser|respecter|rester)\b
standing head weak:
  (?:on|nous) (?:ne |n')(?!a\b|avons|est\b|peut|sait|voit|comprend|arrive)\p{L}\S* (?:jamais|que)\b
  (?:(?:tous |toutes )?(?:les|nos|la) )?(?:messages? de commit|commits?|commentaires?|docs?|documentation|branches?|noms? de \S+) (?:sont|est|s'écrivent|restent) (?:toujours )?en (?:anglais|français|minuscules?|utc)\b
standing clause weak: \b(?:toujours|à chaque fois|désormais|dorénavant|à partir de maintenant|à l'avenir|systématiquement|après chaque|avant chaque)\b(?! (?:pas|en|le même|la même))
limit head weak:
  (?:seulement|uniquement|au plus|au maximum|au moins)\b
  {doing}\b.{0,140}\b(?:seulement|uniquement|exclusivement|sans|au lieu de|plutôt que|au plus|au maximum|rien d'autre)\b
  (?:au lieu de|plutôt que)\b.{2,140}\b(?:utilise|utilisez|mets|prends|prenez)\b
keep head:
  (?:\S+ ){1,8}rest(?:e|ent) (?:en|dans|tels?|comme|inchangée?s?)\b
  (?:garde[zr]?|conserve[zr]?|préserve[zr]?|respecte[zr]?|assure-toi|assurez-vous|veille[zr]?|maintien(?:s|ne)|maintenez|reste[zr]? (?:sur|dans|avec|fidèle)|sui(?:s|vez) (?:la|le|les|nos)|fais attention|faites attention|laisse[zr]? .{1,80} (?:tel|intact|inchangé|comme))\b|sui(?:s|vez) l'(?=\w)
preference head weak:
  (?:je|nous|on) (?:préfère|préférons|préférerais|préférerions)\b
  (?:je|nous|on) (?:veux|voudrais|voulons|veut|aimerais|souhaite) (?:que |uniquement |seulement |plutôt |garder |utiliser |éviter |rester )(?!tu (?:me |m'|regardes|vérifies|fasses|expliques))
  (?:utilisons|gardons|restons|évitons|privilégions|privilégie[zr]?)\b
allows:
  (?:tu|vous) (?:peux|pouvez)(?: maintenant| désormais)?[ ]
  c'est bon,? (?:tu peux |vous pouvez )?
releases:
  (?:tu n.as |il n.y a )?plus besoin de[ ]
  oublie[ ]
ends:
  (?:n'est|ne sont) plus (?:interdite?s?|valables?|nécessaires?)
  (?:règle|contrainte)\b.{0,60}\b(?:ne s'applique plus|est levée|n'existe plus)
  (?:est|sont) (?:de nouveau |maintenant )?(?:autorisée?s?|permise?s?)\b
  changé d'avis
cancels: (?:en fait |finalement )?(?:oublie[zr]? (?:ça|cela)|laisse tomber|annule[zr]? (?:ça|cela)|ignore[zr]? (?:ça|cela))[.!]*$
negations: au lieu de|plutôt que|pas|ne plus utiliser
empty:
  le la les l' de des du un une et ou ne n' pas jamais plus toujours que qui en dans pour sur avec ce cette
  il elle je tu nous vous on au aux mais maintenant utilise utilisez peux pouvez est sont doit
passing: pour l'instant|pour le moment|cette fois|aujourd'hui|d'abord
moment: encore|pour le moment|pour l'instant|maintenant|tout de suite
always: jamais|toujours|en aucun cas|chaque|aucun
headings: contraintes|règles|exigences|restrictions|consignes|conventions|interdits?|limites|principes|impératifs
forbidden headings: .*(?:interdit|interdits|ne pas).*
strong demand:
  doit|doivent|dois|devez|jamais|toujours|seulement|uniquement|assure-toi|assurez-vous|évite|évitez|éviter
  sans|au lieu de|plutôt que|obligatoire|interdit|au moins|au plus|ne pas|ne plus
weak demand: il faut|faut|besoin|nécessaire|garde|gardez|devrait|pas de|n'utilise pas|ne
`
