/** Generated from the shipped provider file by deploy/generate-wrapper-definitions.mjs. */
import type { FrameworkDefinition } from "../sdk/framework/definition.ts"

export const DEFINITION: FrameworkDefinition = {
  parameters: [
    { name: "num_few_shot", type: "integer", minimum: 0, maximum: 64, aliases: ["num_fewshot"] },
    { name: "apply_chat_template", type: "any" },
    { name: "fewshot_as_multiturn", type: "boolean", default: false },
    { name: "system_instruction", type: "string" },
    { name: "random_seed", type: "integer", default: 42, aliases: ["seed"] },
    { name: "batch_size", type: "integer", default: 1, minimum: 1, maximum: 1024 },
    { name: "num_concurrent", type: "integer", default: 8, minimum: 1, maximum: 128 },
    { name: "timeout_seconds", type: "integer", default: 300, minimum: 1, maximum: 86400 },
    { name: "max_retries", type: "integer", default: 3, minimum: 0, maximum: 20 },
    { name: "max_length", type: "integer", minimum: 1 },
    { name: "tokenizer", type: "string" },
    { name: "tokenizer_backend", type: "string", default: "auto", enum: ["auto", "huggingface", "remote", "none"] },
    { name: "endpoint", type: "string", default: "auto", enum: ["auto", "chat", "completions"] },
    { name: "parameters", type: "object", aliases: ["generation_kwargs", "gen_kwargs"] },
    { name: "metadata", type: "object" },
    { name: "allow_code_execution", type: "boolean", default: false },
    { name: "include_path", type: "string" }
  ],
  rows: [
    { id: "arc_easy", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    { id: "AraDiCE_boolq_lev", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "blimp", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "blimp_anaphor_gender_agreement", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "blimp_animate_subject_trans", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    {
      id: "blimp_coordinate_structure_constraint_complex_left_branch",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc"
    },
    { id: "blimp_determiner_noun_agreement_2", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "blimp_determiner_noun_agreement_with_adj_2", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    {
      id: "blimp_determiner_noun_agreement_with_adjective_1",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc"
    },
    { id: "blimp_existential_there_object_raising", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "blimp_existential_there_subject_raising", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "blimp_intransitive", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "blimp_irregular_plural_subject_verb_agreement_1", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "blimp_left_branch_island_simple_question", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "blimp_npi_present_2", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "blimp_passive_1", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "AraDiCE_ArabicMMLU_egy", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    {
      id: "AraDiCE_ArabicMMLU_high_humanities_history_lev",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_high_humanities_philosophy_egy",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_high_language_arabic-language_lev",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    { id: "AraDiCE_ArabicMMLU_lev", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    {
      id: "AraDiCE_ArabicMMLU_middle_humanities_islamic-studies_egy",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_middle_language_arabic-language_lev",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_na_humanities_islamic-studies_egy",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_na_language_arabic-language-general_lev",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_na_other_driving-test_egy",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_na_other_general-knowledge_lev",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_primary_humanities_islamic-studies_egy",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_primary_language_arabic-language_lev",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_univ_other_management_egy",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    { id: "AraDiCE_openbookqa_eng", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    { id: "arabic_leaderboard_arabic_mt_boolq", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "arabic_leaderboard_arabic_mt_boolq_light", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "arabic_mt_boolq_light", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    {
      id: "leaderboard_bbh_salient_translation_error_detection",
      endpoint: "completions_echo",
      fewShot: 3,
      primary: "acc_norm"
    },
    { id: "aclue_ancient_chinese_culture", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "african_flores", endpoint: "generate", percentMetrics: ["bleu", "chrf"], fewShot: 0, primary: "bleu" },
    { id: "afrixnli-irokobench", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "afrixnli_amh_prompt_2", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "afrixnli_amh_prompt_5", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "afrixnli_en_direct_ewe", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "afrixnli_en_direct_ibo", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "afrixnli_en_direct_lug", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "afrixnli_en_direct_sot", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "afrixnli_en_direct_wol", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "afrixnli_en_direct_zul", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "AraDiCE_ArabicMMLU_primary_stem_math_egy", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    {
      id: "arabic_leaderboard_arabic_mmlu_college_mathematics_light",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc"
    },
    {
      id: "arabic_leaderboard_arabic_mmlu_high_school_mathematics",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc"
    },
    { id: "cmmlu_college_mathematics", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "cmmlu_high_school_mathematics", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_am_high_school_mathematics", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_ar_high_school_mathematics", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_bn_high_school_mathematics", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_cs_high_school_mathematics", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_de_high_school_mathematics", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_el_high_school_mathematics", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_en_high_school_mathematics", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_es_high_school_mathematics", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_fa_high_school_mathematics", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_fil_high_school_mathematics", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "AraDiCE_piqa_lev", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    { id: "AraDiCE_winogrande_eng", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "arabic_leaderboard_arabic_mt_copa", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "arabic_leaderboard_arabic_mt_copa_light", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "arabic_leaderboard_arabic_mt_hellaswag", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    {
      id: "arabic_leaderboard_arabic_mt_hellaswag_light",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    { id: "arabic_leaderboard_arabic_mt_piqa", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    { id: "arabic_leaderboard_arabic_mt_piqa_light", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    { id: "arabic_mt_hellaswag", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    { id: "arabic_mt_piqa", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    { id: "copa_ar", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "copal_id_colloquial", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "darijahellaswag", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    { id: "egyhellaswag", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    { id: "hellaswag_ar", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    { id: "arabic_leaderboard_arabic_mt_race", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "arabic_leaderboard_arabic_mt_race_light", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "arabic_mt_race_light", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "blimp_drop_argument", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    {
      id: "bigbench_gre_reading_comprehension_multiple_choice",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc"
    },
    { id: "eus_reading", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "longbench_qasper", endpoint: "generate", fewShot: 0, primary: "score" },
    { id: "qasper_freeform", endpoint: "generate", fewShot: 0, primary: "f1_abstractive" },
    { id: "ruler_qa_squad", endpoint: "generate", fewShot: 0, primary: "4096" },
    { id: "scrolls_qasper", endpoint: "completions_echo", percentMetrics: ["f1"], fewShot: 0, primary: "f1" },
    {
      id: "AraDiCE_ArabicMMLU_high_social-science_economics_egy",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_high_social-science_geography_lev",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_high_stem_computer-science_egy",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    { id: "AraDiCE_ArabicMMLU_high_stem_physics_lev", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    {
      id: "AraDiCE_ArabicMMLU_middle_social-science_civics_egy",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_middle_social-science_economics_lev",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_middle_social-science_social-science_egy",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_middle_stem_computer-science_lev",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_primary_social-science_geography_egy",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_primary_social-science_social-science_lev",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_primary_stem_natural-science_lev",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_univ_social-science_accounting_lev",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_univ_social-science_political-science_egy",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "AraDiCE_ArabicMMLU_univ_stem_computer-science_lev",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "arabic_leaderboard_arabic_mmlu_college_biology_light",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    { id: "agieval_logiqa_zh", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    { id: "bbh", endpoint: "generate", fewShot: 3, primary: "exact_match" },
    { id: "bbh_cot_fewshot", endpoint: "generate", fewShot: 3, primary: "exact_match" },
    { id: "bbh_cot_fewshot_causal_judgement", endpoint: "generate", fewShot: 3, primary: "exact_match" },
    { id: "bbh_cot_fewshot_dyck_languages", endpoint: "generate", fewShot: 3, primary: "exact_match" },
    { id: "bbh_cot_fewshot_hyperbaton", endpoint: "generate", fewShot: 3, primary: "exact_match" },
    { id: "bbh_cot_fewshot_logical_deduction_three_objects", endpoint: "generate", fewShot: 3, primary: "exact_match" },
    { id: "bbh_cot_fewshot_navigate", endpoint: "generate", fewShot: 3, primary: "exact_match" },
    { id: "bbh_cot_fewshot_reasoning_about_colored_objects", endpoint: "generate", fewShot: 3, primary: "exact_match" },
    { id: "bbh_cot_fewshot_snarks", endpoint: "generate", fewShot: 3, primary: "exact_match" },
    {
      id: "bbh_cot_fewshot_tracking_shuffled_objects_five_objects",
      endpoint: "generate",
      fewShot: 3,
      primary: "exact_match"
    },
    { id: "bbh_cot_fewshot_web_of_lies", endpoint: "generate", fewShot: 3, primary: "exact_match" },
    { id: "bbh_cot_zeroshot", endpoint: "generate", fewShot: 0, primary: "exact_match" },
    { id: "bbh_cot_zeroshot_causal_judgement", endpoint: "generate", fewShot: 0, primary: "exact_match" },
    { id: "bbh_cot_zeroshot_dyck_languages", endpoint: "generate", fewShot: 0, primary: "exact_match" },
    { id: "arabic_leaderboard_arabic_mmlu_anatomy", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    {
      id: "arabic_leaderboard_arabic_mmlu_clinical_knowledge",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "arabic_leaderboard_arabic_mmlu_medical_genetics",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    {
      id: "arabic_leaderboard_arabic_mmlu_professional_medicine",
      endpoint: "completions_echo",
      fewShot: 0,
      primary: "acc_norm"
    },
    { id: "cmmlu_professional_medicine", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    { id: "cmmlu_traditional_chinese_medicine", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    { id: "global_mmlu_full_am_anatomy", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_am_clinical_knowledge", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_am_medical_genetics", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_am_professional_medicine", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_ar_anatomy", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_ar_clinical_knowledge", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_ar_medical_genetics", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_ar_professional_medicine", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "global_mmlu_full_bn_anatomy", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "lambada_openai", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "lambada_openai_mt_en", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "lambada_openai_mt_it", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "lambada_openai_mt_stablelm_es", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "lambada_openai_mt_stablelm_nl", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "lambada_standard_cloze_yaml", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "paloma_wikitext_103", endpoint: "completions_echo", fewShot: 0, primary: "bits_per_byte" },
    { id: "pile_arxiv", endpoint: "completions_echo", fewShot: 0, primary: "bits_per_byte" },
    { id: "pile_freelaw", endpoint: "completions_echo", fewShot: 0, primary: "bits_per_byte" },
    { id: "pile_hackernews", endpoint: "completions_echo", fewShot: 0, primary: "bits_per_byte" },
    { id: "pile_openwebtext2", endpoint: "completions_echo", fewShot: 0, primary: "bits_per_byte" },
    { id: "pile_ubuntu-irc", endpoint: "completions_echo", fewShot: 0, primary: "bits_per_byte" },
    { id: "pile_youtubesubtitles", endpoint: "completions_echo", fewShot: 0, primary: "bits_per_byte" },
    { id: "wikitext", endpoint: "completions_echo", fewShot: 0, primary: "bits_per_byte" },
    { id: "careqa_open_perplexity", endpoint: "completions_echo", fewShot: 0, primary: "bits_per_byte" },
    { id: "AraDiCE_truthfulqa_mc1_lev", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    { id: "metabench_truthfulqa_permute", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    {
      id: "nortruthfulqa_gen_nno_p0",
      endpoint: "generate",
      percentMetrics: ["bleu_max", "bleu_diff", "rouge1_max", "rouge1_diff", "rouge2_max"],
      fewShot: 0,
      primary: "bleu_acc"
    },
    {
      id: "nortruthfulqa_gen_nno_p3",
      endpoint: "generate",
      percentMetrics: ["bleu_max", "bleu_diff", "rouge1_max", "rouge1_diff", "rouge2_max"],
      fewShot: 0,
      primary: "bleu_acc"
    },
    {
      id: "nortruthfulqa_gen_nob_p1",
      endpoint: "generate",
      percentMetrics: ["bleu_max", "bleu_diff", "rouge1_max", "rouge1_diff", "rouge2_max"],
      fewShot: 0,
      primary: "bleu_acc"
    },
    {
      id: "nortruthfulqa_gen_nob_p4",
      endpoint: "generate",
      percentMetrics: ["bleu_max", "bleu_diff", "rouge1_max", "rouge1_diff", "rouge2_max"],
      fewShot: 0,
      primary: "bleu_acc"
    },
    { id: "nortruthfulqa_mc_nno_p2", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "nortruthfulqa_mc_nob_p0", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "nortruthfulqa_mc_nob_p3", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "tinyTruthfulQA", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    {
      id: "truthfulqa-multi_gen_ca",
      endpoint: "generate",
      percentMetrics: ["bleu_max", "bleu_diff"],
      fewShot: 0,
      primary: "bleu_acc"
    },
    {
      id: "truthfulqa-multi_gen_eu",
      endpoint: "generate",
      percentMetrics: ["bleu_max", "bleu_diff"],
      fewShot: 0,
      primary: "bleu_acc"
    },
    { id: "truthfulqa-multi_mc1_en", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "truthfulqa-multi_mc1_gl", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "truthfulqa-multi_mc2_es", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "bigbench_code_line_description_multiple_choice", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "ceval-valid_college_programming", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    {
      id: "code2text_javascript",
      endpoint: "generate",
      percentMetrics: ["smoothed_bleu_4"],
      fewShot: 0,
      primary: "smoothed_bleu_4"
    },
    {
      id: "code2text_ruby",
      endpoint: "generate",
      percentMetrics: ["smoothed_bleu_4"],
      fewShot: 0,
      primary: "smoothed_bleu_4"
    },
    { id: "humaneval", endpoint: "generate", flags: ["code_execution"], fewShot: 0, primary: "pass@1" },
    { id: "humaneval_instruct", endpoint: "generate", flags: ["code_execution"], fewShot: 0, primary: "pass@1" },
    { id: "mbpp", endpoint: "generate", flags: ["code_execution"], fewShot: 3, primary: "pass_at_1" },
    { id: "leaderboard_ifeval", endpoint: "generate", fewShot: 0, primary: "inst_level_strict_acc" },
    { id: "leaderboard_bbh", endpoint: "completions_echo", fewShot: 3, primary: "acc_norm" },
    { id: "leaderboard_gpqa", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    { id: "leaderboard_mmlu_pro", endpoint: "completions_echo", fewShot: 5, primary: "acc" },
    { id: "leaderboard_musr", endpoint: "completions_echo", fewShot: 0, primary: "acc_norm" },
    { id: "leaderboard_math_hard", endpoint: "generate", fewShot: 4, primary: "exact_match" },
    { id: "bbq", endpoint: "completions_echo", fewShot: 0, primary: "accuracy_disamb" },
    { id: "crows_pairs_english", endpoint: "completions_echo", fewShot: 0, primary: "pct_stereotype" },
    { id: "ethics_cm", endpoint: "completions_echo", flags: ["trust_remote_code"], fewShot: 0, primary: "acc" },
    { id: "toxigen", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "truthfulqa_mc1", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "bigbench_hhh_alignment_multiple_choice", endpoint: "completions_echo", fewShot: 0, primary: "acc" },
    { id: "winogender", endpoint: "completions_echo", task: "winogender_all", fewShot: 0, primary: "acc" },
    { id: "gsm8k_platinum_cot_llama", endpoint: "generate", fewShot: 8, primary: "exact_match" },
    { id: "mmlu_cot_llama", endpoint: "generate", fewShot: 0, primary: "exact_match" },
    { id: "ifeval", endpoint: "generate", fewShot: 0, primary: "inst_level_strict_acc" },
    { id: "mrcr", endpoint: "generate", flags: ["unavailable"], fewShot: 0, primary: "auc" },
    { id: "mrcr_2needle", endpoint: "generate", flags: ["unavailable"], fewShot: 0, primary: "auc" },
    { id: "mrcr_4needle", endpoint: "generate", flags: ["unavailable"], fewShot: 0, primary: "auc" },
    { id: "mrcr_8needle", endpoint: "generate", flags: ["unavailable"], fewShot: 0, primary: "auc" }
  ]
}
