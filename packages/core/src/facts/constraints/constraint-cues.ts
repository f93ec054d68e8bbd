/** Words that demand or forbid, by language. `strong` ones also turn a question into a demand. */
export interface Cues {
  readonly language: string
  readonly strong: readonly string[]
  readonly weak: readonly string[]
}

function list(text: string): readonly string[] {
  return text.split(',').map((cue) => cue.trim())
}

/** Languages with spaces between words: a cue matches whole words. */
export const wordCues: readonly Cues[] = [
  {
    language: 'en',
    strong: list(`
      must, mustn't, mustnt, never, don't, dont, do not, doesn't need, only, always, make sure,
      be sure to, ensure, ensures, without, avoid, instead of, rather than, no longer, at most,
      at least, no more than, no less than, required, mandatory, forbidden, prohibited,
      not allowed, under no circumstances, no need to, strictly, under any circumstances, stop`),
    weak: list(`
      should, shouldn't, shouldnt, should not, need, needs, needs to, need to, have to, has to,
      keep, cannot, can't, may not, shall, requires, require, requirement, exactly, prefer,
      unless, leave, preserve, it is important, important, remember to, stick to, limit, up to,
      ought to, i want, we want`),
  },
  {
    language: 'pt',
    strong: list(`
      deve, devem, deverá, não deve, não pode, não use, não faça, não altere, nunca, sempre,
      apenas, somente, certifique-se, garanta, evite, em vez de, ao invés de, obrigatório,
      obrigatória, proibido, no máximo, no mínimo, pelo menos, não`),
    weak: list(`
      precisa, precisam, tem que, mantenha, manter, necessário, deveria, só, exige, sem`),
  },
  {
    language: 'es',
    strong: list(`
      debe, deben, debes, nunca, siempre, solamente, sólo, únicamente, asegúrate, asegúrese,
      asegurar, evita, evite, evitar, en lugar de, en vez de, obligatorio, prohibido, al menos,
      como máximo, no uses, no hagas, no cambies, no toques, no debe, no debes, no puede, ya no`),
    weak: list(`
      tiene que, tienen que, tienes que, hay que, necesita, necesito, mantén, mantener,
      necesario, debería`),
  },
  {
    language: 'fr',
    strong: list(`
      doit, doivent, dois, devez, jamais, toujours, seulement, uniquement, assure-toi,
      assurez-vous, évite, évitez, éviter, sans, au lieu de, plutôt que, obligatoire, interdit,
      au moins, au plus, ne pas, ne plus`),
    weak: list(`
      il faut, faut, besoin, nécessaire, garde, gardez, devrait, pas de, n'utilise pas, ne`),
  },
  {
    language: 'de',
    strong: list(`
      muss, müssen, musst, darf nicht, dürfen nicht, darf, niemals, nie, immer, nur,
      stelle sicher, stell sicher, sicherstellen, vermeide, vermeiden, ohne, statt, anstatt,
      anstelle, verboten, pflicht, mindestens, höchstens, nicht mehr, kein, keine, keinen,
      auf keinen fall`),
    weak: list(`
      soll, sollen, sollte, sollten, erforderlich, notwendig, brauche, braucht, behalte,
      bitte nicht, nicht`),
  },
  {
    language: 'it',
    strong: list(`
      deve, devono, mai, sempre, soltanto, solamente, assicurati, evita, senza, invece di,
      obbligatorio, vietato, almeno, al massimo`),
    weak: list(`
      bisogna, dovrebbe, necessario, mantieni`),
  },
  {
    language: 'ru',
    strong: list(`
      должен, должна, должно, должны, нельзя, никогда, всегда, только, убедись, убедитесь,
      избегай, без, вместо, обязательно, запрещено, не надо, не нужно, не меняй, не более,
      не менее, минимум`),
    weak: list(`
      нужно, надо, следует, необходимо, требуется, оставь`),
  },
]

/** Languages without spaces, and endings: a cue matches anywhere. */
export const partCues: readonly Cues[] = [
  {
    language: 'zh',
    strong: list(`
      必须, 必須, 不要, 不能, 不得, 不可, 不许, 不准, 禁止, 务必, 務必, 一定要, 只能, 只要, 只用, 只需, 仅, 僅, 总是, 總是, 始终, 始終, 永远,
      永遠, 确保, 確保, 保证, 避免, 不允许, 不允許, 至少, 最多, 严禁, 嚴禁, 而不是, 不应, 不應, 不再, 切勿, 无需, 不用, 请勿, 别`),
    weak: list(`
      需要, 应该, 應該, 应当, 应, 保持, 保留, 要求, 得先, 统一, 改为, 希望`),
  },
  {
    language: 'ja',
    strong: list(`
      必ず, なければ, しないで, ないでください, ないように, 禁止, てはいけ, ではいけ, てはなら, だけ, のみ, 常に, 絶対, 決して, 避け, 代わりに, ずに,
      少なくとも, 最大, 以内, 必須, なしで, 不要`),
    weak: list(`
      べき, 必要, ようにして, ように, 以上, 以下, 維持, 保持, してください, して下さい`),
  },
  {
    language: 'ko',
    strong: list(`
      반드시, 절대, 항상, 하지 마, 하지마, 안 됩니다, 안돼, 금지, 대신, 최소, 최대, 없이, 오직, 해야`),
    weak: list(`
      필요, 유지, 하세요, 해주세요`),
  },
]
