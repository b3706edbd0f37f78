import type { Language } from '../language.ts';

export const portuguese: Language = {
  signals: {
    rule: [
      `nunca|jamais|sempre|deve|devem|devemos|tem que|é preciso|não altere|não mexa|não toque|não mude|não apague
      |não use|não faça|não modifique|proibid*|obrigatóri*|a partir de agora|de agora em diante|daqui em diante
      |daqui para frente|certifique-se|garanta que|cuidado|em hipótese alguma|de jeito nenhum|em nenhum caso
      |sem exceção|sem exceções|toda vez que|antes de cada|depois de cada|me pergunte|pergunte antes|sem perguntar
      |não é permitido|não pode|não podem|evite|evitar|lembre-se|lembre de|não esqueça|não se esqueça|por favor não
      |use apenas|somente`,
      'apenas|deveria|sem|cada|antes de|exceto|pelo menos|no máximo|mantenha|deixe',
    ],
    correction: [
      `^não ,|^espera|^espere|^pare|incorret*|não está certo|não é isso|não era isso|não foi isso|isso não|quis dizer
      |queria dizer|me refiro|eu me referia|não disse|eu disse|eu falei|eu pedi|eu queria|entendeu mal|mal-entend*
      |por que você|desfaça|desfazer|coloque de volta|você esqueceu|faltou|está confundindo|confundiu|você errou
      |eu errei|me enganei|erro meu|ao contrário|errad*|e não o|e não a|mas sim|e sim`,
      'na verdade|na realidade|em vez|mas|não o|não a',
    ],
    preference: [
      `prefiro|preferi*|preferência|gostaria|gostaríamos|eu gosto|gosto de|não gosto|odeio|detesto|idealmente
      |se possível|se der|na dúvida|em caso de dúvida|quero|queremos|seria melhor|seria bom|seria legal|ficaria melhor
      |acho melhor|me importo|costumo|costumamos|normalmente`,
      'melhor|mais curto|mais simples|por favor|tomara',
    ],
    decision: [
      `decid*|decisão|escolh*|optei|optamos|optar por|optou|vou com|vamos com|fico com|vamos usar|vou usar|usaremos
      |usamos|em vez de|em vez do|em vez da|ao invés|no lugar de|a favor de|em favor de|o plano é|plano :|a abordagem
      |mantive|mantemos|mantenho|manteremos|mais simples é|melhor opção|descart*|abandon*|recomend*|de propósito
      |deliberad*|intencional*|substitu* por|troquei|trocamos|trocar|mud* para|migr* para|combinamos|acordamos
      |combinado|conclusão|não vale a pena|no fim|no final|deixei|deixamos|guardaremos|seguimos com|seguir com
      |vamos manter|vamos ficar|ficamos|usar uma|passamos a`,
      'abordagem|opção|solução|plano|mais simples|mais seguro|mais limpo|estratégia|melhor',
    ],
    cause: [
      `porque|causado|causada|causa|devido a|devido ao|culpado|culpa|motivo|razão|por isso|por conta|portanto|logo o
      |se deve a|deve-se|vem de|vem do|vem da|provém|decorre|acontece que|descobri que o|na verdade o|explica
      |o problema é|o problema era|problema :|o erro é|o erro era|erro :|o bug é|a falha é|provoc*|ocasion*|leva a
      |levou a|resulta em|já que|uma vez que|visto que|pois|como o|então o|de modo que|encontrei o|achei o
      |acontece quando|ocorre quando|só acontece|nunca é|não foi criado|falta o|falta a|conflit*|expira antes`,
      'problema|erro|falha|falta|quando|obsoleto|bloque*|então',
    ],
    failed: [
      `não funciona|não funcionou|não funcionava|não dá certo|não deu|sem sucesso|em vão|fracass*|beco sem saída|tentei
      |tentamos|tentativa|testei|reverti|revertido|revertemos|reverter|desfiz|voltei atrás|desisti|desistimos
      |continua falhando|continua igual|ainda falha|mesmo erro|não ajuda|não ajudou|não resolve|não resolveu
      |não adianta|não adiantou|não muda nada|nenhum efeito|sem efeito|pior|quebrou|quebra|quebrado|impossível
      |não consegue|não consegui|não conseguimos|não foi possível|não é possível|não há como|não tem como|lento demais
      |muito lento|não suporta|não aceita|inútil|perda de tempo|rejeit*|recus*|trava|travou|cai|não leva a
      |lugar nenhum|nada mudou|não mudou nada|voltei ao que era`,
      'mas|falha|falhou|infelizmente|porém|erro|entretanto',
    ],
    finding: [
      `nota :|observe que|note que|vale notar|vale lembrar|importante :|é importante|atenção :|medi|medido|medição
      |em média|descobri|constatei|aprendi|confirmei|confirmado|confirma|mostra que|significa|o valor|valor padrão
      |por padrão|fica em|ficam em|está em|estão em|localizado|é guardado|são guardados|armazenad*|definido em
      |pertence|depende de|depende do|interessante|surpre*|de fato|na realidade|segundo|diferente de|ao passo que
      |enquanto|a diferença|mais rápido|mais lento|o dobro|por cento|o limite|limite é|limite real|máximo|só aceita
      |aceita apenas|só se|não há nenhum|não existe|chama-se|se chama|é lido|e não|, não|leva|demora|dura|custa
      |a resposta é`,
      'aparentemente|provavelmente|já|apenas|exatamente|parece|atualmente',
    ],
    fact: [
      `a propósito|para sua informação|para contexto|só para você saber|nosso cliente|o cliente|a cliente
      |número do pedido|número da conta|prazo|data limite|nosso servidor|nossa equipe|nosso time|nosso banco|temos
      |usamos|utilizamos|trabalho na|trabalho no|moro em|meu computador|meu endereço|o endereço|endereço :|de férias
      |meu nome|responsável|encarregad*`,
      'meu|minha|nosso|nossa|nossos|seu|número|versão|roda',
    ],
    open: [
      `falta|faltam|ainda não|resta|restam|pendente*|por fazer|a fazer|mais tarde|depois eu|depois a gente|por enquanto
      |por ora|no momento|provisóri*|temporári*|enquanto isso|aguardando|esperando|à espera|voltar a|voltarei|retomar
      |retomo|próximo passo|próximos passos|adiado|adiar|adiamos|sem testar|não testado|não foi testado|não verificado
      |não está claro|não sei|não tenho certeza|a decidir|a definir|incompleto|inacabado|fixo no código|algum dia
      |amanhã|semana que vem|próxima semana|assim que|depois que|comentado|desativado|gambiarra|será preciso
      |teremos que|vou ter que|não esquecer|para depois|fica para|ficou para|ficam para`,
      'ainda|depois|até|deveria|então',
    ],
  },
  verbs: `é|são|era|eram|está|estão|fica|tem|tinha|usa|utiliza|contém|retorna|devolve|lê|escreve|espera|aceita|exige|precisa
    |leva|demora|custa|pertence|faz|vem|roda|funciona|guarda|envia|recebe|há`,
  progress: `vou olhar|vou ver|vou verificar|vou ler|vou rodar|vou executar|vou começar|vou buscar|vou procurar|vou abrir
    |vou atualizar|vou criar|deixe-me|deixa eu|vamos ver|vejamos|verifico|executo|procuro|atualizo|^agora|^em seguida
    |^primeiro|^depois|^pronto|^perfeito|^muito bem|^ótimo|^excelente|^aqui está|^aqui estão|^feito|^tudo|tudo certo
    |tudo verde|os testes passam|com sucesso|^de nada|^resumo`,
  smallTalk: `sim|obrigado|obrigada|valeu|beleza|ok|ótimo|perfeito|muito bem|continue|pode continuar|siga|vá em frente|olá|oi
    |bom dia|certo|exato|entendido|claro|de nada|pronto`,
  abbreviations: 'p.ex|ex|etc|aprox|sr|sra|dr|dra|núm|nº|pág|av|tel|máx|mín',
};
