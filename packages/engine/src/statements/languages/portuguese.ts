import type { Language } from '../language.ts';

export const portuguese: Language = {
  signals: {
    rule: `nunca|jamais|sempre|deve|devem|devemos|não altere|não use|proibid*|obrigatóri*|certifique-se|cuidado|evite
      |evitar|lembre-se|somente|a partir de agora|de agora em diante|não mexa|não toque|toda vez|tem que|não pode`,
    correction: `^não ,|^espera|^espere|^pare|incorret*|eu pedi|mal-entend*|desfaça|desfazer|faltou|confundiu|errad*
      |mas sim|e sim|eu quis dizer|eu disse|não é`,
    preference: `prefiro|preferi*|preferência|gostaria|gostaríamos|odeio|detesto|idealmente|se der|quero|queremos
      |costumo|costumamos|normalmente|eu gosto|se possível`,
    decision: `decid*|decisão|escolh*|optei|optamos|optou|vou com|usaremos|usamos|plano :|mantive|mantemos|mantenho|manteremos
      |descart*|abandon*|recomend*|deliberad*|intencional*|troquei|trocamos|trocar|combinamos|acordamos|combinado
      |conclusão|no fim|deixei|deixamos|guardaremos|vamos ficar|ficamos|em vez de|no lugar de|mudar para|mudei para`,
    cause: `porque|causado|causada|causa|culpado|culpa|motivo|razão|portanto|logo o|deve-se|vem de|vem do|vem da
      |provém|decorre|explica|erro :|provoc*|ocasion*|leva a|levou a|já que|pois|como o|então o|achei o|nunca é
      |falta o|falta a|conflit*|devido a|o problema|por isso|acontece que`,
    failed: `também não funciona|também não inicia|continua sem|não adiantou|não deu|em vão|fracass*|tentei|tentamos|tentativa|testei|reverti|revertido|revertemos|reverter|desfiz
      |desisti|desistimos|não adiantou|pior|quebrou|quebra|inútil|travou|não funciona|não funcionou|sem sucesso
      |mesmo erro|não ajud*|não consegu*|beco sem saída`,
    finding: `nota :|medi|medido|medição|descobri|constatei|aprendi|confirmei|confirmado|confirma|significa|o valor
      |fica em|está em|localizado|armazenad*|pertence|interessante|surpre*|de fato|segundo|enquanto|o dobro|máximo
      |só se|chama-se|é lido|e não|, não|leva|demora|dura|custa|por padrão|depende de|em média|mais rápido|mais lento
      |na verdade|quebrado|impossível|rejeit*|recus*|trava|cai`,
    fact: `prazo|temos|usamos|utilizamos|responsável|encarregad*|a propósito|o cliente|número do|me chamo|só para saber`,
    open: `falta|faltam|resta|restam|pendente*|a fazer|por ora|provisóri*|temporári*|aguardando|esperando|voltarei|retomar
      |retomo|adiado|adiar|adiamos|não sei|incompleto|inacabado|amanhã|comentado|desativado|gambiarra|fica para
      |ainda não|mais tarde|por enquanto|próximo passo|não testad*|assim que`,
  },
  hints: `deveria|sem|cada|exceto|mantenha|deixe|em vez|mas|problema|erro|falha|bloque*|então|falhou|parece|atualmente
    |ainda`,
  verbs: `é|são|era|eram|está|estão|fica|tem|tinha|usa|utiliza|contém|retorna|devolve|lê|escreve|espera|aceita|exige
    |precisa|leva|demora|custa|pertence|faz|vem|roda|funciona|guarda|envia|recebe|há`,
  intents: `deixe-me|vejamos|vou`,
  looks: `verific*|vejamos|ver|ler|procur*|execut*|rodar|test*`,
  progress: `verifico|executo|procuro|atualizo|^agora|^primeiro|^depois|^pronto|^perfeito|^ótimo|^excelente|^feito
    |^tudo|^resumo`,
  smallTalk: `sim|obrigado|obrigada|valeu|beleza|ok|ótimo|perfeito|continue|siga|olá|oi|certo|exato|entendido|claro|pronto`,
  abbreviations: 'p.ex|ex|etc|aprox|sr|sra|dr|dra|núm|nº|pág|av|tel|máx|mín',
};
